// Prints, for a reader and a table, one JSON array a row. Values are plain:
// numbers as text that JavaScript cannot spoil, times in microseconds.
//
//   node read.mjs duckdb|hyparquet|polars|arrow-rs FILE.parquet COLUMN...
//   node read.mjs polars|arrow-js FILE.feather COLUMN...
//   node read.mjs dump FILE.parquet   an object of metadata, names and rows
import { readFileSync } from 'node:fs'

const [reader, file, ...columns] = process.argv.slice(2)

function plain(value) {
  if (value === null || value === undefined) return null
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (value instanceof Date) return String(value.getTime() * 1000)
  if (typeof value === 'object' && 'micros' in value) return value.micros.toString()
  return value
}

async function duckdb() {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const list = columns.map((name) => `"${name}"`).join(', ')
  const result = await connection.runAndReadAll(`SELECT ${list} FROM read_parquet('${file}')`)
  return result.getRows()
}

async function footer() {
  const { parquetMetadata } = await import('hyparquet')
  const data = readFileSync(file)
  const buffer = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
  return { buffer, metadata: parquetMetadata(buffer) }
}

async function hyparquet(names = columns) {
  const { parquetReadObjects } = await import('hyparquet')
  const { compressors } = await import('hyparquet-compressors')
  const { buffer } = await footer()
  const rows = await parquetReadObjects({ file: buffer, compressors })
  return rows.map((row) => names.map((name) => row[name]))
}

async function polars() {
  const pl = (await import('nodejs-polars')).default
  const frame = file.endsWith('.feather') ? pl.readIPC(readFileSync(file)) : pl.readParquet(file)
  const exact = columns.map((name) => {
    const type = String(frame.getColumn(name).dtype)
    if (type.includes('Int')) return pl.col(name).cast(pl.Utf8)
    if (type.includes('Datetime')) return pl.col(name).cast(pl.Int64).cast(pl.Utf8)
    return pl.col(name)
  })
  return frame.select(...exact).rows()
}

// exact gives the rows of an Arrow table; its times come as milliseconds.
function exact(table) {
  const vectors = columns.map((name) => table.getChild(name))
  const time = columns.map((name, i) => String(vectors[i].type).startsWith('Timestamp'))
  return Array.from({ length: table.numRows }, (_, row) =>
    vectors.map((vector, i) => {
      const value = vector.get(row)
      return time[i] && value !== null ? String(Math.round(value * 1000)) : value
    }))
}

async function arrowJS() {
  const { tableFromIPC } = await import('apache-arrow')
  return exact(tableFromIPC(readFileSync(file)))
}

async function arrowRS() {
  const { tableFromIPC } = await import('apache-arrow')
  const wasm = await import('parquet-wasm')
  return exact(tableFromIPC(wasm.readParquet(readFileSync(file)).intoIPCStream()))
}

async function dump() {
  const { metadata } = await footer()
  const names = metadata.schema.slice(1).map((element) => element.name)
  const rows = (await hyparquet(names)).map((row) => row.map(plain))
  const pairs = Object.fromEntries(metadata.key_value_metadata.map(({ key, value }) => [key, value]))
  console.log(JSON.stringify({ metadata: pairs, names, rows }))
  return []
}

const readers = { duckdb, hyparquet, polars, 'arrow-js': arrowJS, 'arrow-rs': arrowRS, dump }
const rows = await readers[reader]()
for (const row of rows) console.log(JSON.stringify(row.map(plain)))
