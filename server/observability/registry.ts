/** Counters and histograms in memory, and the text format in which Prometheus reads them. */

/** The values of a metric's labels, each of a small known set: routes, error names, channels. Never data of users. */
export type Labels = Readonly<Record<string, string>>
type Sample = { readonly suffix?: string; readonly labels?: Labels; readonly value: number }
export type MetricType = 'counter' | 'gauge' | 'histogram'
/** A metric with one sentence that says what it counts. */
export type MetricFamily = {
  readonly name: string
  readonly type: MetricType
  readonly help: string
  readonly samples: readonly Sample[]
}

const formatLabels = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, ' ')}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

export const renderMetrics = (families: readonly MetricFamily[]): string =>
  families
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ suffix = '', labels = {}, value }) => `${name}${suffix}${formatLabels(labels)} ${value}`),
      '',
    ])
    .join('\n')

export class Counter {
  readonly #values = new Map<string, { readonly labels: Labels; value: number }>()
  readonly name: string
  readonly help: string
  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  increment(labels: Labels): void {
    const key = formatLabels(labels)
    const entry = this.#values.get(key) ?? { labels, value: 0 }
    entry.value += 1
    this.#values.set(key, entry)
  }

  read = (): MetricFamily => ({ name: this.name, type: 'counter', help: this.help, samples: [...this.#values.values()] })
}

/** From what a cached read takes to where a user gives up; in seconds. */
const bucketBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const

export class Histogram {
  readonly #values = new Map<string, { readonly labels: Labels; readonly buckets: number[]; count: number; sum: number }>()
  readonly name: string
  readonly help: string
  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  observe(labels: Labels, seconds: number): void {
    const key = formatLabels(labels)
    const entry = this.#values.get(key) ?? { labels, buckets: bucketBounds.map(() => 0), count: 0, sum: 0 }
    for (const [at, bound] of bucketBounds.entries()) if (seconds <= bound) entry.buckets[at] = (entry.buckets[at] ?? 0) + 1
    entry.count += 1
    entry.sum += seconds
    this.#values.set(key, entry)
  }

  read = (): MetricFamily => ({
    name: this.name,
    type: 'histogram',
    help: this.help,
    samples: [...this.#values.values()].flatMap(({ labels, buckets, count, sum }) => [
      ...bucketBounds.map((bound, at) => ({
        suffix: '_bucket',
        labels: { ...labels, le: String(bound) },
        value: buckets[at] ?? 0,
      })),
      { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
      { suffix: '_sum', labels, value: Math.round(sum * 1e6) / 1e6 },
      { suffix: '_count', labels, value: count },
    ]),
  })
}
