/** One PostgreSQL server and one migrated template for a whole run of the api and contract tests. */
import { startTestCluster } from './database.ts'

export default async function setup(): Promise<() => Promise<void>> {
  const cluster = await startTestCluster()
  return () => cluster.close()
}
