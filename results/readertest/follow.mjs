// Opens a runs table again and again while it is replaced, until its standard
// input ends. Each look is a line: what the reader saw at once. DuckDB opens the
// file twice in a query, so a look of its may meet two tables and fail; then a line
// says so, and it looks again. The last look is at a file that stays and must do.
//
//   node follow.mjs duckdb|polars FILE.parquet [MILLISECONDS between two looks]
const [reader, file, pause] = process.argv.slice(2)

let ended = false
process.stdin.on('data', () => {}).on('end', () => { ended = true })

async function duckdb() {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  return async () => {
    const result = await connection.runAndReadAll(
      `SELECT count(*), count(DISTINCT run_id), count(*) FILTER (status = 'ok') FROM read_parquet('${file}')`)
    return result.getRows()[0].map(Number)
  }
}

async function polars() {
  const pl = (await import('nodejs-polars')).default
  return async () => {
    const frame = pl.readParquet(file)
    const ok = frame.filter(pl.col('status').eq(pl.lit('ok')))
    return [frame.height, frame.getColumn('run_id').nUnique(), ok.height]
  }
}

const look = await { duckdb, polars }[reader]()
for (let last = false; !last; ) {
  last = ended // once more, at what is there now
  try {
    const [rows, runs, ok] = await look()
    console.log(`${reader}: ${rows} rows, ${runs} runs, ${ok} ok`)
  } catch (error) {
    if (reader !== 'duckdb' || last) throw error
    console.log(`${reader}: between two tables: ${String(error).replace(/\s+/g, ' ')}`)
  }
  await new Promise((resume) => setTimeout(resume, Number(pause ?? 0)))
}
