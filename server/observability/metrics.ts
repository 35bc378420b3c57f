/** Metrics for Prometheus: version, requests by route and status, their duration, the event loop delay, memory. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { version } from '../shared/version.ts'

export type Metrics = {
  render(): string
  /** Records a response that did not come from a route. */
  record(answer: { readonly route: string; readonly method: string; readonly status: number; readonly seconds: number }): void
}

export function createMetrics(app: FastifyInstance): Metrics {
  const requests = new Map<string, { count: number; seconds: number }>()
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  app.addHook('onClose', async () => void delay.disable())
  const note: Metrics['record'] = ({ route, method, status, seconds }) => {
    const key = `route="${route}",method="${method}",status="${status}"`
    const line = requests.get(key) ?? { count: 0, seconds: 0 }
    line.count += 1
    line.seconds += seconds
    requests.set(key, line)
  }
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    note({ route, method: request.method, status: reply.statusCode, seconds: reply.elapsedTime / 1000 })
  })
  const text = (): string => {
    const memory = process.memoryUsage()
    return [
      '# TYPE xinhan_build_info gauge',
      `xinhan_build_info{version="${version}",node="${process.versions.node}"} 1`,
      '# TYPE xinhan_requests_total counter',
      ...[...requests].map(([key, line]) => `xinhan_requests_total{${key}} ${line.count}`),
      '# TYPE xinhan_request_seconds_total counter',
      ...[...requests].map(([key, line]) => `xinhan_request_seconds_total{${key}} ${line.seconds.toFixed(4)}`),
      '# TYPE xinhan_event_loop_delay_seconds gauge',
      `xinhan_event_loop_delay_seconds{quantile="0.99"} ${(delay.percentile(99) / 1e9).toFixed(4)}`,
      '# TYPE process_resident_memory_bytes gauge',
      `process_resident_memory_bytes ${memory.rss}`,
      '# TYPE nodejs_heap_size_total_bytes gauge',
      `nodejs_heap_size_total_bytes ${memory.heapTotal}`,
      '# TYPE nodejs_heap_size_used_bytes gauge',
      `nodejs_heap_size_used_bytes ${memory.heapUsed}`,
      '# TYPE nodejs_external_memory_bytes gauge',
      `nodejs_external_memory_bytes ${memory.external}`,
      '',
    ].join('\n')
  }
  return { render: text, record: note }
}
