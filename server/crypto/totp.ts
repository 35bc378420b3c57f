/** Codes of an authenticator app (TOTP, RFC 6238), each good once. */
import { Secret, TOTP } from 'otpauth'

const period_s = 30
/** Clocks of phones go wrong by a step, before or after. */
const steps_off = 1

/** Six digits that change every half minute. */
export const createTotp = (secret: Buffer): TOTP =>
  new TOTP({ issuer: '薪函', secret: new Secret({ buffer: new Uint8Array(secret).buffer }), digits: 6, period: period_s })

/** The step of time that a code is of; null where it is of none near `now`. Of a step no second code is taken. */
export function findTotpStep(secret: Buffer, code: string, now: Date): number | null {
  const off = createTotp(secret).validate({ token: code, timestamp: now.getTime(), window: steps_off })
  return off === null ? null : Math.floor(now.getTime() / 1000 / period_s) + off
}
