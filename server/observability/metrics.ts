/** Metrics for Prometheus; docs/operations/monitoring.md explains each. A test compares them with the page. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import { version } from '../shared/version.ts'
import { Counter, Histogram, type Labels, type MetricFamily, type MetricType, renderMetrics } from './registry.ts'

/** What is read when the metrics are requested. */
export type MetricSources = {
  readonly pool: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount' | 'options'>
  readonly limiters: { getUsage(): readonly { readonly limit: string; readonly running: number; readonly waiting: number }[] }
  /** Throws where the database gives no answer. */
  readonly readQueues: () => Promise<
    readonly { name: string; waiting: number; active: number; failed: number; oldest_s: number }[]
  >
  readonly readDisk: () => Promise<{ readonly free: number; readonly total: number } | null>
}

export type Metrics = {
  render(sources: MetricSources): Promise<string>
  /** Records a response that did not come from a route. */
  record(answer: { readonly route: string; readonly method: string; readonly status: number; readonly seconds: number }): void
  /** Counts an error, by the name that the contract gives it. */
  recordError(answer: { readonly route: string; readonly error: string }): void
}

export function createMetrics(app: FastifyInstance): Metrics {
  const requests = new Histogram('xinhan_request_duration_seconds', 'Duration of requests, by route, method and HTTP status.')
  const errors = new Counter(
    'xinhan_request_errors_total',
    'Requests answered with an error, by route and error name; most have the HTTP status 200.',
  )
  const messages = new Counter(
    'xinhan_messages_total',
    'Attempts to send a message, by channel and outcome (accepted, failed, unknown, cancelled, queued for a retry).',
  )
  const jobFailures = new Counter(
    'xinhan_job_failures_total',
    'Runs of background jobs that ended with an error, by job; most are repeated.',
  )
  countEvents(app, 'xinhan:message-outcome', messages)
  countEvents(app, 'xinhan:job-failure', jobFailures)
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  app.addHook('onClose', async () => void delay.disable())
  const record: Metrics['record'] = ({ route, method, status, seconds }) =>
    requests.observe({ route, method, status: String(status) }, seconds)
  const recordError: Metrics['recordError'] = (labels) => errors.increment(labels)
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    record({ route, method: request.method, status: reply.statusCode, seconds: reply.elapsedTime / 1000 })
    if (request.errorName) recordError({ route, error: request.errorName })
  })
  return {
    render: async (sources) =>
      renderMetrics([
        ...readProcess(),
        gauge('xinhan_event_loop_delay_seconds', 'Delay of the event loop, 99th percentile since the start.', [
          { value: delay.percentile(99) / 1e9 },
        ]),
        requests.read(),
        errors.read(),
        messages.read(),
        jobFailures.read(),
        ...readUse(sources),
        ...(await readQueueMetrics(sources)),
        ...(await readDiskMetrics(sources)),
      ]),
    record,
    recordError,
  }
}

/** Counts what the outbox and the job queue publish: neither depends on the metrics. */
function countEvents(app: FastifyInstance, name: string, counter: Counter): void {
  const count = (labels: unknown): void => counter.increment(labels as Labels)
  subscribe(name, count)
  app.addHook('onClose', async () => void unsubscribe(name, count))
}

const family =
  (type: MetricType) =>
  (name: string, help: string, samples: MetricFamily['samples']): MetricFamily => ({ name, type, help, samples })
const gauge = family('gauge')
const counter = family('counter')

function readProcess(): MetricFamily[] {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return [
    gauge('xinhan_build_info', 'Always 1; the labels are the version of the program and of Node.', [
      { labels: { version, node: process.versions.node }, value: 1 },
    ]),
    gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.', [
      { value: Math.round(performance.timeOrigin / 1000) },
    ]),
    counter('process_cpu_seconds_total', 'Processor time that the process has used.', [{ value: (user + system) / 1e6 }]),
    gauge('process_resident_memory_bytes', 'Memory of the process.', [{ value: rss }]),
    gauge('nodejs_heap_size_total_bytes', 'Size of the JavaScript heap.', [{ value: heapTotal }]),
    gauge('nodejs_heap_size_used_bytes', 'Used part of the JavaScript heap.', [{ value: heapUsed }]),
    gauge('nodejs_external_memory_bytes', 'Memory of buffers outside the heap.', [{ value: external }]),
  ]
}

/** Connections and concurrency limits of this process. */
const readUse = ({ pool, limiters }: MetricSources): MetricFamily[] => [
  gauge('xinhan_pool_connections', 'Connections to the database, by state (used, idle).', [
    { labels: { state: 'used' }, value: pool.totalCount - pool.idleCount },
    { labels: { state: 'idle' }, value: pool.idleCount },
  ]),
  gauge('xinhan_pool_max_connections', 'Connections that this process may open (XINHAN_POOL).', [{ value: pool.options.max }]),
  gauge('xinhan_pool_waiting', 'Transactions that wait for a connection.', [{ value: pool.waitingCount }]),
  gauge(
    'xinhan_calls',
    'Calls in a concurrency limit, by limit (employee, desk, costly, public) and state (running, waiting).',
    limiters.getUsage().flatMap(({ limit, running, waiting }) => [
      { labels: { limit, state: 'running' }, value: running },
      { labels: { limit, state: 'waiting' }, value: waiting },
    ]),
  ),
]

/** The queue is shared by all servers: each reports the same figures. */
async function readQueueMetrics({ readQueues }: MetricSources): Promise<MetricFamily[]> {
  const queues = await readQueues().catch(() => null)
  const all = queues ?? []
  return [
    gauge('xinhan_database_up', '1 if the database answered while the metrics were read, otherwise 0.', [
      { value: queues ? 1 : 0 },
    ]),
    gauge(
      'xinhan_jobs',
      'Background jobs in the queue, by job and state (waiting, active, failed for good in the last days).',
      all.flatMap(({ name, waiting, active, failed }) =>
        Object.entries({ waiting, active, failed }).map(([state, value]) => ({ labels: { job: name, state }, value })),
      ),
    ),
    gauge(
      'xinhan_job_oldest_seconds',
      'How long the oldest due job has waited, by job.',
      all.map(({ name, oldest_s }) => ({ labels: { job: name }, value: oldest_s })),
    ),
  ]
}

/** None where the database is on another machine. */
async function readDiskMetrics({ readDisk }: MetricSources): Promise<MetricFamily[]> {
  const disk = await readDisk()
  return [
    gauge('xinhan_disk_free_bytes', 'Free space on the disk of the embedded database.', disk ? [{ value: disk.free }] : []),
    gauge('xinhan_disk_size_bytes', 'Size of the disk of the embedded database.', disk ? [{ value: disk.total }] : []),
  ]
}
