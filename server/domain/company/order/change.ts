/** A dearer edition instead of the one that runs. */
import * as contract from '../../../contract/corp/order.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle, refuse } from '../../../runtime/handle.ts'
import { changeOf, type EditionProduct } from '../rules/change.ts'
import { productHeld } from './pool-list.ts'
import { soldHere } from './prices.ts'

type Here = Pick<Ctx, 'db' | 'company_id' | 'now'>
export type PlannedChange = {
  readonly from: EditionProduct
  readonly to: EditionProduct
  readonly until: Date
  readonly amount_fen: number
  readonly days: number
}

/** What a change would cost now, by the prices of now. Refuses where there is nothing to change. */
export async function plannedChange(here: Here, product_id: string): Promise<PlannedChange> {
  const sold = await soldHere(here)
  const editionOf = (id: string | undefined): EditionProduct | null => {
    const found = sold.find((one) => one.id === id)
    return found?.kind === 'edition' ? found : null
  }
  const to = editionOf(product_id)
  if (!to) throw refuse('not_found', '没有这个版本，请刷新后重选')
  const held = await productHeld(here)
  const from = editionOf(held?.product.id)
  const change = changeOf(held && from && { product: from, until: held.until }, to, here.now)
  if ('why' in change) throw refuse('wrong_state', change.why, { status: 'no_change' })
  if (!held || !from) throw refuse('not_found')
  return { from, to, until: held.until, ...change }
}

export const getChangePrice = handle(contract.getChangePrice, async (ctx, { product_id }) => {
  const { from, to, until, amount_fen, days } = await plannedChange(ctx, product_id)
  return { amount_fen, days, from: from.name, to: to.name, until: isoOf(until) }
})
