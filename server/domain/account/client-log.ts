/** What a client reports of itself. Anybody may write here, so it is little, rare, and says nothing of anybody. */
import * as contract from '../../contract/account/account.ts'
import { dayOf } from '../../runtime/clock.ts'
import { handleOutside } from '../../runtime/handle.ts'
import { scrub } from '../../runtime/log.ts'
import { countTry, peerOf } from '../../runtime/request/limits.ts'

const window_s = 600
const a_session = 20
/** A whole office may come from one address. */
const a_peer = 200

const most = { message: 600, stack: 2400, page: 200, release: 60 } as const

/** Besides what no log may hold: codes, tokens, long numbers of any kind, and what moves the cursor of whoever reads the log. */
export function clean(text: string, max_bytes: number): string {
  const plain = scrub(text)
    .replace(/(?<![\w-])(?![\da-f]{8}-)[\w-]{24,}/g, '#')
    .replace(/\d{6,}/g, '#')
    // oxlint-disable-next-line no-control-regex -- control characters are exactly what must go
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
  // A character cut in two at the end is left out.
  return Buffer.from(plain).subarray(0, max_bytes).toString().replace(/�+$/, '')
}

export const clientLog = handleOutside(contract.log, async ({ database, address, request_id, me, half, now, log }, input) => {
  const patience = { window_s, now, refusal: 'too_often' } as const
  await countTry(database, `client-log|${peerOf(address)}`, { max: a_peer, ...patience })
  if (half) await countTry(database, `client-log|${half.session_id}`, { max: a_session, ...patience })
  log.warn(
    {
      client: {
        day: dayOf(now),
        level: input.level,
        message: clean(input.message, most.message).replaceAll('\n', ' '),
        stack: clean(input.stack ?? '', most.stack),
        page: clean(input.url.split(/[?#]/)[0] ?? '', most.page),
        release: clean(input.release, most.release),
        company_id: me?.company_id ?? null,
      },
      request_id,
    },
    'client',
  )
  return {}
})
