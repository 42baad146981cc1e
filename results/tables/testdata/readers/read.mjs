// Prints, for a reader and a Parquet file, one JSON array a row. Values are
// plain: numbers as text that JavaScript cannot spoil, times in microseconds.
//
//   node read.mjs duckdb|hyparquet|polars FILE COLUMN...
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

async function hyparquet() {
  const { parquetReadObjects } = await import('hyparquet')
  const { compressors } = await import('hyparquet-compressors')
  const data = readFileSync(file)
  const buffer = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
  const rows = await parquetReadObjects({ file: buffer, compressors })
  return rows.map((row) => columns.map((name) => row[name]))
}

async function polars() {
  const pl = (await import('nodejs-polars')).default
  const frame = pl.readParquet(file)
  const exact = columns.map((name) => {
    const type = String(frame.getColumn(name).dtype)
    if (type.includes('Int')) return pl.col(name).cast(pl.Utf8)
    if (type.includes('Datetime')) return pl.col(name).cast(pl.Int64).cast(pl.Utf8)
    return pl.col(name)
  })
  return frame.select(...exact).rows()
}

const rows = await { duckdb, hyparquet, polars }[reader]()
for (const row of rows) console.log(JSON.stringify(row.map(plain)))
