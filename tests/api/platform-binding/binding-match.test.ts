/** Matching a large company with its platform: duration, memory, and whether other requests must wait. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { matchPlatformUsers } from '../../../server/modules/platform-binding/combine/match.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demoWorld } from '../../support/demo.ts'
import { trial } from '../../support/run/trial.ts'

const world = demoWorld()

/**
 * Of ten platform users six match a member by number and name, one by phone and name, one has a number with another
 * name, one a name, one nothing.
 */
trial(
  'platform-combine',
  'matches a large platform directory with the roster in one run without blocking other requests',
  { full: 50_000, sample: 300, of: 'people' },
  async ({ size, says }) => {
    const { company_id } = await world.createCompany({ provider: null })
    const corp = { provider: 'lark' as const, corp_id: `tenant_${newId()}` }
    await world.database.inCompany(
      company_id,
      async (db) => {
        await sql`insert into member (company_id, id, name, mobile, employee_no)
          select ${company_id}, gen_random_uuid(), '员工' || n, (13000000000 + n)::text, 'A' || n from generate_series(1, ${size}) as n`.execute(
          db,
        )
        await sql`insert into platform_department (company_id, id, provider, corp_id, key, parent_key, name)
          select ${company_id}, gen_random_uuid(), ${corp.provider}, ${corp.corp_id}, 'd' || n, '0', '部门' || n from generate_series(1, greatest(1, ${size / 25}::int)) as n`.execute(
          db,
        )
        await sql`insert into platform_user (company_id, id, provider, corp_id, user_id, name, mobile, employee_no, details)
          select ${company_id}, gen_random_uuid(), ${corp.provider}, ${corp.corp_id}, 'u' || n,
            case when n % 10 = 0 then '别人' || n else '员工' || n end,
            case when n % 10 = 1 then (13000000000 + n)::text else '' end,
            case when n % 10 in (1, 2, 3) then '' else 'A' || n end,
            jsonb_build_object('user_id', 'u' || n, 'departments', jsonb_build_array('d' || (n % (${size / 25}::int) + 1)))
          from generate_series(1, ${size}) as n`.execute(db)
      },
      { timeout_ms: 120_000 },
    )
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    collect()
    const before = process.memoryUsage().heapUsed
    let most = 0
    const timer = setInterval(() => void (most = Math.max(most, process.memoryUsage().heapUsed - before)), 20)
    const lag = monitorEventLoopDelay({ resolution: 5 })
    lag.enable()
    const began = performance.now()
    const linked = await world.database.inCompany(
      company_id,
      (db) => matchPlatformUsers({ db, company_id, now: world.clock.now() }, corp, async () => []),
      { timeout_ms: 60_000 },
    )
    const seconds = (performance.now() - began) / 1000
    lag.disable()
    clearInterval(timer)
    expect(linked).toBe(size * 0.7)
    says(
      `${seconds.toFixed(1)} s; longest turn of the loop ${Math.round(lag.max / 1e6)} ms; at most ${Math.round(most / 1e6)} MB more`,
    )
  },
)
