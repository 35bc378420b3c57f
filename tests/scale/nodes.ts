/**
 * Runs tests on a Citus cluster: DATABASE_URL names the coordinator, XINHAN_TEST_NODES the workers
 * (`host:port,host:port`). Every test database is created on all of them and distributed as docs/scale/distribute.sql
 * distributes a customer's (docs/scale.md).
 */
import { readFileSync } from 'node:fs'
import { Client, type PoolConfig } from 'pg'

const script = new URL('../../docs/scale/distribute.sql', import.meta.url)

export type NodeAddress = { readonly host: string; readonly port: number }

/** Returns the workers of this run, or none without a cluster. */
export const testNodes = (): NodeAddress[] =>
  (process.env.XINHAN_TEST_NODES ?? '')
    .split(',')
    .filter(Boolean)
    .map((address) => ({ host: address.replace(/:\d+$/, ''), port: Number(/\d+$/.exec(address)?.[0]) }))

async function notify(where: PoolConfig, ...texts: string[]): Promise<void> {
  const client = new Client(where)
  client.on('error', () => undefined)
  await client.connect()
  try {
    for (const text of texts) await client.query(text)
  } finally {
    await client.end()
  }
}

/** Makes one cluster of an empty database on the coordinator and new databases of the same name on its workers. */
export async function joinNodes(owner: PoolConfig, nodes: readonly NodeAddress[]): Promise<void> {
  const { host, port, database } = owner
  for (const node of nodes) {
    await notify({ ...owner, ...node, database: 'postgres' }, `create database ${database}`)
    await notify({ ...owner, ...node }, 'create extension citus')
  }
  const added = nodes.map((node) => `select citus_add_node('${node.host}', ${node.port})`)
  await notify(owner, 'create extension citus', `select citus_set_coordinator_host('${host}', ${port})`, ...added)
}

/** Distributes the tables after the migrations. */
export const spreadTables = (owner: PoolConfig): Promise<void> => notify(owner, readFileSync(script, 'utf8'))

export async function dropOnNodes(owner: PoolConfig, name: string, nodes: readonly NodeAddress[]): Promise<void> {
  for (const node of nodes)
    await notify({ ...owner, ...node, database: 'postgres' }, `drop database if exists ${name} with (force)`)
}
