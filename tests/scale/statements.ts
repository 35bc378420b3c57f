/** How much is asked of the database: for tests that more of something takes no more questions. */
import { Client } from 'pg'

/** The statements that are sent while this is done. What begins and ends a transaction, and the queue's own, are left out. */
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
