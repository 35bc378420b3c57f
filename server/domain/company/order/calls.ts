/** The shop of this installation: what it offers, what answers its calls, what works by itself, and what takes notices. */
import type { PayName, PayProvider } from '../../../../platform/pay/provider.ts'
import * as contract from '../../../contract/corp/order.ts'
import { type Handler, implement } from '../../../runtime/handle.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { getChangePrice } from './change.ts'
import { compareStatements } from './compare.ts'
import { createInvoice, getInvoiceFile, getInvoiceList } from './invoices.ts'
import { orderHandlers } from './orders.ts'
import { outsidePays } from './outside.ts'
import { consumptionPublicBySalaryAdmin, getProductInfo, getUseList, productList, resourceList } from './pool.ts'
import { sendRefund } from './refund.ts'
import { type InvoiceNews, remindAll, tellOfInvoice } from './reminders.ts'
import { type SettleParts, settle } from './settle.ts'
import { type AskData, askAbout, giveBack, reconcile, type WorkParts } from './work.ts'

export type Offer = {
  /** Off: nothing is sold, everybody has everything. */
  readonly billing: boolean
  /** Where transfers go to, as it is shown; null: they are not offered. */
  readonly transfer_account: string | null
}
type ShopParts = SettleParts &
  Pick<WorkParts, 'log'> & {
    readonly secrets: Secrets
    readonly offer: Offer
    readonly providers: readonly PayProvider[]
  }

type Notice = { readonly headers: Readonly<Record<string, string | string[] | undefined>>; readonly body: string }
/** What is answered: `null` where the notice is not believed. */
export type Taken = { readonly type: string; readonly body: string } | null
export type TakesNotices = {
  /** A notice of a provider, verified; settled once. */
  notice(provider: PayName, notice: Notice): Promise<Taken>
}

export function openOrders({ offer, providers, ...parts }: ShopParts): { handlers: Handler[] } & TakesNotices {
  const pays = outsidePays(providers)
  const { jobs, clock, log } = parts
  const shop = { ...offer, pays }
  const work: WorkParts = { ...parts, pays }
  jobs.on<AskData>('pay-ask', (data, { outdoors }) => askAbout(work, data, outdoors))
  jobs.on<{ company_id: string; payment_id: string }>('pay-refund', (data, { outdoors }) => giveBack(work, data, outdoors))
  jobs.on<{ company_id: string; refund_id: string }>('order-refund', (data, { outdoors }) => sendRefund(work, data, outdoors))
  // Twice is harmless: a notice has the id of what it tells.
  jobs.on<InvoiceNews>('invoice-told', (data) => tellOfInvoice(parts, data))
  // Twice is harmless: what it finds is settled once.
  jobs.daily('pay-reconcile', '10 5 * * *', async ({ outdoors }) => void (await reconcile(work, outdoors)))
  // The files of a day are there by nine in the morning of the next. Twice is harmless: see compareDay.
  jobs.daily('pay-statements', '40 9 * * *', ({ outdoors }) => compareStatements(work, outdoors))
  // Twice is harmless: see reminders.ts. Declared where nothing is sold too: it may have been otherwise, and the clock goes on sending it.
  jobs.daily('service-reminders', '5 8-20 * * *', async ({ signal }) => {
    if (offer.billing) await remindAll(parts, signal)
  })
  return {
    handlers: implement(contract, {
      ...orderHandlers(shop),
      getProductInfo,
      getProductList: productList(shop),
      getResourceList: resourceList(offer),
      getUseList,
      consumptionPublicBySalaryAdmin,
      createInvoice,
      getInvoiceList,
      getInvoiceFile,
      getChangePrice,
    }),
    async notice(provider, { headers, body }) {
      const pay = pays[provider]
      const said = pay?.read(headers, body, clock.now()) ?? null
      if (!pay || !said) {
        log.error({ provider }, 'a payment notice was not believed')
        return null
      }
      const became = await settle(parts, { ...said, provider })
      if (became === 'unknown') log.error({ provider, order_no: said.order_no }, 'a payment of no order of ours')
      return became === 'unknown' ? null : pay.taken
    },
  }
}
