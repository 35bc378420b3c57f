/**
 * Error reports from the client. They are accepted without signing in, so they are limited in size and number and
 * contain no personal data.
 */

import * as contract from '../../contract/auth/sign-in.ts'
import { defineHandler } from '../../http/handler.ts'
import { countAttempt } from '../../http/limits/attempts.ts'
import { attemptLimits } from '../../http/limits/config.ts'
import { toPeerAddress } from '../../http/limits/rate-limits.ts'
import { scrubText } from '../../observability/log.ts'
import { toShanghaiDate } from '../../shared/clock.ts'

const maxFieldBytes = { message: 600, stack: 2400, page: 200, release: 60 } as const

/**
 * Removes what no log may contain, and also codes, tokens, long numbers of any kind, Chinese text (a name looks like any
 * other word, and an error of a program is not in Chinese), and control characters that move a terminal's cursor.
 */
export function sanitizeClientText(text: string, maxBytes: number): string {
  const plain = scrubText(text)
    .replace(/[\p{Script=Han}·]+/gu, '…')
    .replace(/(?<![\w-])(?![\da-f]{8}-)[\w-]{24,}/g, '#')
    .replace(/\d{6,}/g, '#')
    // oxlint-disable-next-line no-control-regex -- control characters are exactly what must go
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
  // A character that was cut in two at the end is dropped.
  return Buffer.from(plain).subarray(0, maxBytes).toString().replace(/�+$/, '')
}

export const logClientError = defineHandler(
  contract.logClientError,
  { kind: 'external' },
  async ({ database, address, request_id, me, currentAccount, now, log }, input) => {
    const limit = { now, error: 'too_often' } as const
    await countAttempt(database, `client-log|${toPeerAddress(address)}`, { ...attemptLimits.clientLogByAddress, ...limit })
    if (currentAccount)
      await countAttempt(database, `client-log|${currentAccount.session_id}`, { ...attemptLimits.clientLogBySession, ...limit })
    log.warn(
      {
        client: {
          day: toShanghaiDate(now),
          level: input.level,
          message: sanitizeClientText(input.message, maxFieldBytes.message).replaceAll('\n', ' '),
          stack: sanitizeClientText(input.stack ?? '', maxFieldBytes.stack),
          page: sanitizeClientText(input.url.split(/[?#]/)[0] ?? '', maxFieldBytes.page),
          release: sanitizeClientText(input.release, maxFieldBytes.release),
          company_id: me?.company_id ?? null,
        },
        request_id,
      },
      'client',
    )
    return {}
  },
)
