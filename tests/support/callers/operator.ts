/** An operator of the installation under test, created with the key of its environment. */
import { Secret, TOTP } from 'otpauth'
import { completeOperatorSetup, startOperatorSetup } from '../../../server/contract/operator/operators.ts'
import type { Caller, World } from '../world.ts'

const password = 'Runs-the-server-1'

export async function createOperator(world: World, name = '林运营'): Promise<Caller> {
  const key = 'only-for-tests'
  const { secret } = await world.anybody.must(startOperatorSetup, { key, name, password, confirm_password: password })
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now().getTime() })
  const { data, cookies } = await world.anybody.call(completeOperatorSetup, { key, name, code })
  return world.caller(data.token, { ops: cookies.ops ?? '', 'XSRF-TOKEN': cookies['OPS-XSRF-TOKEN'] ?? '' })
}
