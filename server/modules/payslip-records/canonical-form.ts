/**
 * The canonical form of a payslip (docs/slip-form.md), to which confirmations, receipts and evidence refer: JSON
 * according to RFC 8785, with exactly what the employee sees. Once a receipt has been issued for a form, that form
 * never changes; a new one gets the next number.
 */
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Payslip } from '../../contract/payslips/payslip.ts'

export const payslipFormat = 'xinhan-slip/1'

export type VersionedPayslip = { readonly slip_id: string; readonly version: number; readonly slip: Payslip }

/** Lists the fields explicitly, so that fields added to the call later do not enter the form. */
export function canonicalizePayslip({ slip_id, version, slip }: VersionedPayslip): string {
  const form = canonicalize({
    form: payslipFormat,
    slip_id,
    version,
    company: slip.corp_name,
    person: slip.name,
    title: slip.title,
    month: slip.month,
    net: slip.net && { label: slip.net.label, fen: slip.net.fen },
    sums: slip.totals && { gross_fen: slip.totals.gross_fen, deduction_fen: slip.totals.deduction_fen },
    groups: slip.groups.map(({ name, total_fen, cells }) => ({
      name,
      sum_fen: total_fen,
      lines: cells.map(({ label, value, fen, is_deduction, note }) => ({ label, text: value, fen, minus: is_deduction, note })),
    })),
    hint: slip.hint,
  })
  if (form === undefined) throw new TypeError('a slip is an object')
  return form
}

/** SHA-256 of the form in UTF-8, in base64url. Stored encrypted, because most salaries could be guessed against the hash. */
export const hashPayslip = (payslip: VersionedPayslip): string => hashCanonicalForm(canonicalizePayslip(payslip))
export const hashCanonicalForm = (form: string): string => createHash('sha256').update(form, 'utf8').digest('base64url')
