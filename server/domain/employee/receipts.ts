/** Receipts of my confirmations: made with the confirmation, shown beside the slip, taken along as a file and as a code to scan. */
import type { Selectable } from 'kysely'
import * as contract from '../../contract/own/own.ts'
import type { Slip } from '../../contract/slip/payslip.ts'
import { isoOf } from '../../runtime/clock.ts'
import { cleanFileName } from '../../runtime/files/files.ts'
import { type Ctx, handle } from '../../runtime/handle.ts'
import type { Salary } from '../../runtime/postgres/tables.ts'
import { issueReceipt, keysOf, readReceipt, receiptFile, receiptsOf } from '../pay/index.ts'
import { confirmedHash, signatureOf } from '../slip/index.ts'
import { mySlip } from './my-slip.ts'

type Shown = { readonly slip: Slip; readonly form: string; readonly hash: string }
const told = ({ corp_name, name, month }: Slip) => ({ company: corp_name, person: name, month })

type Now = { readonly slip_id: string; readonly version: number; readonly shown: Shown; readonly handwriting: string | null }
/** Of what I confirm at this moment. */
export const receiptNow = (ctx: Ctx, { slip_id, version, shown: { slip, form, hash }, handwriting }: Now): Promise<string> =>
  issueReceipt(ctx, { ...told(slip), kind: 'person', slip_id, version, form, hash, handwriting, confirmed_at: ctx.now })

type Confirmed = Pick<
  Selectable<Salary>,
  'id' | 'version' | 'confirmed_at' | 'confirmed_auto' | 'confirmed_hash' | 'confirmed_version' | 'signature'
>

/** The one of a slip as it stands; null where it is not confirmed. */
export async function receiptOf(ctx: Ctx, salary: Confirmed, shown: Shown): Promise<string | null> {
  if (!salary.confirmed_at) return null
  const kept = (await receiptsOf(ctx, [salary.id])).find(({ version }) => version === salary.version)
  return kept ? kept.receipt : firstReceipt(ctx, salary, shown)
}

/** Where none was made with it: what has confirmed itself was shown to nobody then. It is of another kind than a person's. */
export async function firstReceipt(ctx: Ctx, salary: Confirmed, { slip, form, hash: now }: Shown): Promise<string | null> {
  const { id: slip_id, version, confirmed_at } = salary
  if (!confirmed_at) return null
  const hash = await confirmedHash(ctx, salary, now)
  const kind = salary.confirmed_auto ? 'auto' : 'person'
  const handwriting = signatureOf(ctx.vault, salary)
  const kept = hash === now ? form : null
  return issueReceipt(ctx, { ...told(slip), kind, slip_id, version, form: kept, hash, handwriting, confirmed_at })
}

export const getReceipt = handle(contract.getReceipt, async (ctx, { slip_id }) => {
  const { salary } = await mySlip(ctx, slip_id, { closed: 'allowed' })
  const kept = await receiptsOf(ctx, [slip_id])
  const keys = await keysOf(ctx)
  const list = kept.toReversed().map(({ receipt, version, handwriting }) => {
    const { says } = readReceipt(receipt)
    return {
      version,
      stands: version === salary.version,
      kind: says.kind,
      confirmed_at: isoOf(new Date(says.confirmed_at)),
      handwriting,
      url: `${ctx.origin}/m/verify#${receipt}`,
      file: receiptFile(receipt, keys),
      file_name: cleanFileName(`确认回执-${says.person}-${says.month ?? ''}-第${version}版.json`),
    }
  })
  return { list }
})
