/** Receipts of the employee's confirmations: issued with the confirmation, shown with the payslip, as a file and as a QR code. */
import type { Selectable } from 'kysely'
import * as contract from '../../../contract/payslips/employee-data.ts'
import type { Payslip } from '../../../contract/payslips/payslip.ts'
import type { Payslip as PayslipTable } from '../../../database/tables.ts'
import { sanitizeFileName } from '../../../files/stored-files.ts'
import { defineHandler, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { formatReceiptFile, issueReceipt, listReceiptKeys, listReceipts, parseReceipt } from '../../payslip-records/index.ts'
import { getConfirmedHash, openSignature } from '../view-and-confirm.ts'
import { lockOwnPayslip } from './payslip-access.ts'

type RenderedPayslip = { readonly slip: Payslip; readonly form: string; readonly hash: string }
const getReceiptNames = ({ corp_name, name, month }: Payslip) => ({ company: corp_name, person: name, month })

type ReceiptRequest = {
  readonly slip_id: string
  readonly version: number
  readonly rendered: RenderedPayslip
  readonly handwriting: string | null
}
/** Issues the receipt for a confirmation made now. */
export const issueOwnReceipt = (
  ctx: HandlerContext,
  { slip_id, version, rendered: { slip, form, hash }, handwriting }: ReceiptRequest,
): Promise<string> =>
  issueReceipt(ctx, {
    ...getReceiptNames(slip),
    kind: 'person',
    slip_id,
    version,
    form,
    hash,
    handwriting,
    confirmed_at: ctx.now,
  })

type ConfirmedPayslip = Pick<
  Selectable<PayslipTable>,
  'id' | 'version' | 'confirmed_at' | 'confirmed_auto' | 'confirmed_hash' | 'confirmed_version' | 'signature'
>

/** Returns the receipt of the payslip's current version; null if it is not confirmed, or cannot be stored now. */
export async function getOrIssueReceipt(
  ctx: HandlerContext,
  salary: ConfirmedPayslip,
  rendered: RenderedPayslip,
): Promise<string | null> {
  if (!salary.confirmed_at) return null
  const storedReceipt = (await listReceipts(ctx, [salary.id])).find(({ version }) => version === salary.version)
  if (storedReceipt) return storedReceipt.receipt
  return ctx.isReadOnly ? null : issueMissingReceipt(ctx, salary, rendered)
}

/**
 * Issues a receipt where none was created at confirmation: an automatic confirmation was shown to nobody. It is of
 * another kind than a receipt for an employee's own confirmation.
 */
export async function issueMissingReceipt(
  ctx: HandlerContext,
  salary: ConfirmedPayslip,
  { slip, form, hash: currentHash }: RenderedPayslip,
): Promise<string | null> {
  const { id: slip_id, version, confirmed_at } = salary
  if (!confirmed_at) return null
  const hash = await getConfirmedHash(ctx, salary, currentHash)
  const kind = salary.confirmed_auto ? 'auto' : 'person'
  const handwriting = openSignature(ctx.vault, salary)
  const canonicalForm = hash === currentHash ? form : null
  return issueReceipt(ctx, {
    ...getReceiptNames(slip),
    kind,
    slip_id,
    version,
    form: canonicalForm,
    hash,
    handwriting,
    confirmed_at,
  })
}

export const getReceipt = defineHandler(contract.getReceipt, async (ctx, { slip_id }) => {
  const { salary } = await lockOwnPayslip(ctx, slip_id, { closed: 'allowed' })
  const receipts = await listReceipts(ctx, [slip_id])
  const keys = await listReceiptKeys(ctx)
  const list = receipts.toReversed().map(({ receipt, version, handwriting }) => {
    const { claims } = parseReceipt(receipt)
    return {
      version,
      stands: version === salary.version,
      kind: claims.kind,
      confirmed_at: toIsoTimestamp(new Date(claims.confirmed_at)),
      handwriting,
      url: `${ctx.origin}/m/verify#${receipt}`,
      file: formatReceiptFile(receipt, keys),
      file_name: sanitizeFileName(`确认回执-${claims.person}-${claims.month ?? ''}-第${version}版.json`),
    }
  })
  return { list }
})
