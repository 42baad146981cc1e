// Reads a file store as MLflow's tracking store does, and prints what it finds as
// JSON. What MLflow would refuse or read otherwise ends it with an error.
//
//   node mlflow.mjs mlruns
import { load } from 'js-yaml'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix, sep } from 'node:path'

const root = process.argv[2]
const reserved = new Set(['tags', 'datasets', 'traces'])

function must(holds, what) {
  if (!holds) throw new Error(what)
}

const folders = (dir) => readdirSync(dir).filter((name) => statSync(join(dir, name)).isDirectory())

function files(dir, below = '') {
  return readdirSync(join(dir, below)).flatMap((name) => {
    const path = posix.join(below, name)
    return statSync(join(dir, path)).isDirectory() ? files(dir, path) : [path]
  })
}

// named wants the names of metrics, parameters and tags to be ones that MLflow takes.
function named(dir) {
  return Object.fromEntries(files(dir).map((name) => {
    must(/^[/\w.\- ]+$/.test(name) && name.length <= 250, `name ${name}`)
    must(posix.normalize(name) === name && !name.startsWith('..') && !name.startsWith('/'), `name ${name}`)
    return [name.split(sep).join('/'), readFileSync(join(dir, name), 'utf8')]
  }))
}

function meta(dir, types) {
  const fields = load(readFileSync(join(dir, 'meta.yaml'), 'utf8'))
  for (const [name, type] of Object.entries(types)) {
    const value = fields[name]
    if (type === 'int') must(Number.isSafeInteger(value), `${dir}: ${name} is ${typeof value} ${value}`)
    else must(typeof value === 'string', `${dir}: ${name} is ${typeof value} ${value}`)
  }
  must(fields.lifecycle_stage === 'active', `${dir}: lifecycle_stage is ${fields.lifecycle_stage}`)
  return fields
}

// metric reads lines of time, value and step.
function metric(name, text) {
  return text.trimEnd().split('\n').map((line) => {
    const parts = line.split(' ')
    must(parts.length === 2 || parts.length === 3, `metric ${name}: ${line}`)
    must(/^-?\d+$/.test(parts[0]) && /^-?\d+$/.test(parts[2] ?? '0'), `metric ${name}: ${line}`)
    must(/^([+-]?\d+(\.\d+)?(e[+-]?\d+)?|NaN|[+-]Inf)$/.test(parts[1]), `metric ${name}: ${line}`)
    return { time: Number(parts[0]), value: parts[1], step: Number(parts[2] ?? 0) }
  })
}

function run(dir, id, experiment) {
  must(/^[a-zA-Z0-9][\w-]{0,255}$/.test(id), `run ${id}`)
  const fields = meta(dir, {
    run_id: 'text', run_uuid: 'text', run_name: 'text', experiment_id: 'text', user_id: 'text', artifact_uri: 'text',
    status: 'int', start_time: 'int', end_time: 'int', source_type: 'int', source_name: 'text', source_version: 'text', entry_point_name: 'text',
  })
  must(fields.run_id === id && fields.run_uuid === id, `${dir}: is run ${fields.run_id}`)
  must(fields.experiment_id === experiment, `${dir}: is of experiment ${fields.experiment_id}`)
  must([1, 2, 3, 4, 5].includes(fields.status), `${dir}: status ${fields.status}`)
  must(fields.start_time <= fields.end_time, `${dir}: ends before it starts`)
  must(new URL(fields.artifact_uri).pathname.endsWith(`/${experiment}/${id}/artifacts`), `${dir}: ${fields.artifact_uri}`)
  const metrics = Object.entries(named(join(dir, 'metrics'))).map(([name, text]) => [name, metric(name, text)])
  return {
    id, status: fields.status, metrics: Object.fromEntries(metrics),
    params: named(join(dir, 'params')), tags: named(join(dir, 'tags')), artifacts: files(join(dir, 'artifacts')).sort(),
  }
}

const experiments = folders(root).filter((name) => name !== '.trash' && name !== 'models').map((id) => {
  const fields = meta(join(root, id), { experiment_id: 'text', name: 'text', artifact_location: 'text', creation_time: 'int', last_update_time: 'int' })
  must(fields.experiment_id === id && /^[a-zA-Z0-9][\w-]{0,63}$/.test(id), `experiment ${id}: is ${fields.experiment_id}`)
  const runs = folders(join(root, id)).filter((name) => !reserved.has(name)).map((name) => run(join(root, id, name), name, id))
  return { id, name: fields.name, runs }
})
console.log(JSON.stringify(experiments))
