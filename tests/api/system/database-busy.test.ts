import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { Pool } from 'pg'
import { describe, expect, it } from 'vitest'
import { getTitleInfo, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import { isTransientDatabaseError } from '../../../server/database/transient-errors.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demo } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { asOwner } from '../../support/run/database.ts'

const failure = (pool: Pool) =>
  pool.connect().then(
    () => new Error('connected'),
    (error: Error) => error,
  )

/** A database so busy that it accepts the connection but never answers. */
it('reports a connection that cannot be opened or acquired in time as a temporary error', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined))
  await new Promise<void>((done) => void silent.listen(0, '127.0.0.1', done))
  const pool = new Pool({ host: '127.0.0.1', port: (silent.address() as AddressInfo).port, connectionTimeoutMillis: 50, max: 1 })
  const [opened, waited] = await Promise.all([failure(pool), failure(pool)])
  expect([opened, waited].map((error) => `${isTransientDatabaseError(error)}: ${error.message}`)).toEqual([
    'true: Connection terminated due to connection timeout',
    'true: timeout exceeded when trying to connect',
  ])
  await pool.end()
  silent.close()
})

it.each([
  ['a wrong password', { code: '28P01', message: 'password authentication failed' }, false],
  ['a duplicate key', { code: '23505', message: 'duplicate key' }, false],
  ['a deadlock', { code: '40P01', message: 'deadlock detected' }, true],
  ['a lock timeout', { code: '55P03', message: 'canceling statement due to lock timeout' }, true],
])('classifies a database error as transient or permanent: %s', (_, error, busy) =>
  expect(isTransientDatabaseError(error)).toBe(busy),
)

describe('upload in a lock conflict', () => {
  const { world, corp, payroll } = demo({ own: true })

  it('retries the upload from the stored file, without another upload', async () => {
    // Simulates a lock timeout three times: a sequence is not rolled back.
    await asOwner(world, (owner) =>
      owner.query(`
        create sequence times_busy;
        create function is_busy() returns trigger language plpgsql security definer as $$
        begin
          if nextval('times_busy') <= 3 then raise exception 'in the way' using errcode = '55P03'; end if;
          return new;
        end $$;
        create trigger is_busy before insert on batch for each row execute function is_busy()`),
    )
    const people = await corp.people(3)
    const file = { name: '工资表.xlsx', bytes: demoWageSheet(people) }
    const { batch_id } = await payroll.must(uploadWageExcel, { upload_id: newId() }, { file })
    expect((await payroll.must(getTitleInfo, { batch_id })).rows).toBe(3)
    const stored = await world.database.inCompany(corp.company_id, async (tx) => [
      (await tx.selectFrom('batch').select('id').execute()).length,
      (await tx.selectFrom('file').select('id').execute()).length,
    ])
    expect(stored).toEqual([1, 1])
  })
})
