/** Counts database statements, for tests that check that more data takes no more queries. */
import { Client } from 'pg'

/** Returns the statements sent during the work. Transaction control and the queue's own statements are left out. */
export async function getStatements(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = []
  const prototype = Client.prototype as unknown as { query: (...given: unknown[]) => unknown }
  const { query } = prototype
  prototype.query = function count(this: unknown, ...provided: unknown[]) {
    const [config] = provided
    const text = typeof config === 'string' ? config : ((config as { text?: string } | undefined)?.text ?? '')
    if (!/^\s*(begin|commit|rollback|start transaction|set )|set_config|pgboss\./i.test(text)) sent.push(text)
    return query.apply(this, provided)
  }
  try {
    await work()
  } finally {
    prototype.query = query
  }
  return sent
}
