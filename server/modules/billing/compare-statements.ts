/**
 * Compares a provider's statement of the previous day with the stored payments every morning: payments known only to
 * the provider are settled; remaining differences are stored and reported.
 */

import type { PaymentProviderName } from '../../../platform/pay/provider.ts'
import type { NoTransaction } from '../../database/no-transaction.ts'
import { listAllCompanyIds } from '../../jobs/companies.ts'
import { toShanghaiDate } from '../../shared/clock.ts'
import { type PaymentJobDeps, runInCompany, runWithoutCompany, toRefundNumber } from './payment-jobs.ts'
import { recordPayment } from './payments.ts'
import { compareStatement, type MoneyTransaction } from './rules/statement.ts'

const dayMs = 86_400_000
type StatementDay = { readonly provider: PaymentProviderName; readonly day: string }

/** Lists payments and refunds of all companies over three days around the statement's day. */
async function listLocalTransactions(
  { database }: PaymentJobDeps,
  { provider, day }: StatementDay,
): Promise<(MoneyTransaction & { due: boolean })[]> {
  const start = new Date(`${day}T00:00:00+08:00`).getTime()
  const [from, until] = [new Date(start - dayMs), new Date(start + 2 * dayMs)]
  const isDue = (at: Date | null): boolean => at !== null && toShanghaiDate(at) === day
  const transactions: (MoneyTransaction & { due: boolean })[] = []
  for (const company_id of await listAllCompanyIds(database)) {
    const rows = await runInCompany({ database }, company_id, (db) =>
      db
        .selectFrom('payment')
        .innerJoin('pay_order', (join) =>
          join.onRef('pay_order.company_id', '=', 'payment.company_id').onRef('pay_order.id', '=', 'payment.order_id'),
        )
        .select(['payment.id', 'order_no', 'transaction_id', 'payment.amount_fen', 'payment.paid_at', 'payment.refunded_at'])
        .where('payment.company_id', '=', company_id)
        .where('payment.provider', '=', provider)
        .where((eb) =>
          eb.or([
            eb.and([eb('payment.paid_at', '>=', from), eb('payment.paid_at', '<', until)]),
            eb.and([eb('payment.refunded_at', '>=', from), eb('payment.refunded_at', '<', until)]),
          ]),
        )
        .execute(),
    )
    for (const { id, order_no, amount_fen, done_at } of await listManualRefunds({ database }, company_id, {
      provider,
      from,
      until,
    }))
      transactions.push({ kind: 'refunded', order_no, number: toRefundNumber(id), amount_fen, due: isDue(done_at) })
    for (const { id, order_no, transaction_id: number, amount_fen, paid_at, refunded_at } of rows) {
      transactions.push({ kind: 'paid', order_no, number, amount_fen, due: isDue(paid_at) })
      if (refunded_at)
        transactions.push({ kind: 'refunded', order_no, number: toRefundNumber(id), amount_fen, due: isDue(refunded_at) })
    }
  }
  return transactions
}

/** Lists refunds made manually. */
const listManualRefunds = (
  deps: Pick<PaymentJobDeps, 'database'>,
  company_id: string,
  { provider, from, until }: { readonly provider: PaymentProviderName; readonly from: Date; readonly until: Date },
) =>
  runInCompany(deps, company_id, (db) =>
    db
      .selectFrom('refund')
      .innerJoin('pay_order', (join) =>
        join.onRef('pay_order.company_id', '=', 'refund.company_id').onRef('pay_order.id', '=', 'refund.order_id'),
      )
      .select(['refund.id', 'order_no', 'refund.amount_fen', 'done_at'])
      .where('refund.company_id', '=', company_id)
      .where('pay_type', '=', provider)
      .where('done_at', '>=', from)
      .where('done_at', '<', until)
      .execute(),
  )

/**
 * The job is idempotent: a payment known only to the statement is settled once, and the last comparison of a day is the
 * one stored.
 */
export async function compareStatementDay(
  deps: PaymentJobDeps,
  statement: StatementDay,
  noTransaction: NoTransaction,
): Promise<number | null> {
  const { provider, day } = statement
  const lines = await deps.payments[provider]?.getStatement(noTransaction, day)
  if (!lines) return null
  const provided = lines.map(({ kind, order_no, transaction_id, amount_fen, refund_no }) => {
    return { kind, order_no, number: kind === 'paid' ? transaction_id : (refund_no ?? ''), amount_fen }
  })
  let creditedCount = 0
  for (const { of: matching, kind, order_no, number: transaction_id, theirs_fen } of compareStatement(
    provided,
    await listLocalTransactions(deps, statement),
  )) {
    if (matching !== 'paid' || kind !== 'only_there' || theirs_fen === null) continue
    const paid_at = new Date(`${day}T12:00:00+08:00`)
    const result = await recordPayment(deps, { provider, order_no, transaction_id, amount_fen: theirs_fen, paid_at })
    if (result !== 'unknown') creditedCount += 1
  }
  const differences = compareStatement(provided, await listLocalTransactions(deps, statement))
  const sumByKind = (transactionKind: MoneyTransaction['kind']) => {
    const of = provided.filter(({ kind }) => kind === transactionKind)
    return { count: of.length, fen: of.reduce((sum, { amount_fen }) => sum + amount_fen, 0) }
  }
  const [paid, refunded] = [sumByKind('paid'), sumByKind('refunded')]
  const columns = {
    paid_count: paid.count,
    paid_fen: paid.fen,
    refunded_count: refunded.count,
    refunded_fen: refunded.fen,
    discrepancy_count: creditedCount,
    differences: JSON.stringify(differences),
    compared_at: deps.clock.now(),
  }
  await runWithoutCompany(deps, (tx) =>
    tx
      .insertInto('payment_statement')
      .values({ provider, day, ...columns })
      .onConflict((conflict) => conflict.columns(['provider', 'day']).doUpdateSet(columns))
      .execute(),
  )
  if (creditedCount > 0)
    deps.log.error({ provider, day, discrepancy_count: creditedCount }, 'payments that only the statement knew of')
  if (differences.length > 0)
    deps.log.error({ provider, day, differences: differences.length }, 'a statement differs from what stands here')
  return differences.length
}

/** Compares the last three days: a file may be late, and a refund is recorded a day after it was requested. */
export async function compareStatements(deps: PaymentJobDeps, noTransaction: NoTransaction): Promise<void> {
  const now = deps.clock.now().getTime()
  for (const provider of ['alipay', 'wechat'] as const)
    for (const days of [3, 2, 1])
      await compareStatementDay(deps, { provider, day: toShanghaiDate(new Date(now - days * dayMs)) }, noTransaction).catch(
        (error: unknown) => deps.log.error({ err: error, provider }, 'a statement could not be read'),
      )
}
