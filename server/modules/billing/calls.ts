/** The shop of this installation: its offers, handlers, scheduled jobs and payment notification receiver. */
import type { PaymentProvider, PaymentProviderName } from '../../../platform/pay/provider.ts'
import * as contract from '../../contract/billing/orders.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import { bindHandlers, type Handler } from '../../http/handler.ts'
import { compareStatements } from './compare-statements.ts'
import { getChangePrice } from './edition-change.ts'
import { createExternalPaymentProviders } from './external-payment-providers.ts'
import { createInvoice, getInvoiceFile, getInvoiceList } from './invoices.ts'
import type { BillingOptions } from './options.ts'
import { createOrderHandlers } from './orders.ts'
import {
  checkOrderPayment,
  type PaymentJobDeps,
  type PaymentStatusJobData,
  reconcilePayments,
  refundExcessPayment,
} from './payment-jobs.ts'
import { type PaymentDeps, recordPayment } from './payments.ts'
import {
  consumptionPublicBySalaryAdmin,
  defineProductListHandler,
  defineResourceListHandler,
  getProductInfo,
  getUseList,
} from './products-and-resources.ts'
import { sendRefund } from './refund.ts'
import { type InvoiceUpdate, notifyInvoiceUpdate, remindAllCompanies } from './reminders.ts'

type BillingDeps = PaymentDeps &
  Pick<PaymentJobDeps, 'log'> & {
    readonly secrets: Secrets
    readonly offer: BillingOptions
    readonly providers: readonly PaymentProvider[]
  }

type PaymentNotificationRequest = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}
/** The reply; `null` where the notification could not be verified. */
export type PaymentCallbackResponse = { readonly type: string; readonly body: string } | null
export type PaymentNotificationReceiver = {
  /** Verifies a provider's notification and settles it once. */
  receiveNotification(provider: PaymentProviderName, notice: PaymentNotificationRequest): Promise<PaymentCallbackResponse>
}

export function createBillingModule({
  offer,
  providers,
  ...deps
}: BillingDeps): { handlers: Handler[] } & PaymentNotificationReceiver {
  const payments = createExternalPaymentProviders(providers)
  const { jobs, clock, log } = deps
  const shop = { ...offer, payments }
  const jobDeps: PaymentJobDeps = { ...deps, payments }
  jobs.register<PaymentStatusJobData>('pay-ask', (data, { noTransaction }) => checkOrderPayment(jobDeps, data, noTransaction))
  jobs.register<{ company_id: string; payment_id: string }>('pay-refund', (data, { noTransaction }) =>
    refundExcessPayment(jobDeps, data, noTransaction),
  )
  jobs.register<{ company_id: string; refund_id: string }>('order-refund', (data, { noTransaction }) =>
    sendRefund(jobDeps, data, noTransaction),
  )
  // The job is idempotent: the notification id derives from the update.
  jobs.register<InvoiceUpdate>('invoice-told', (data) => notifyInvoiceUpdate(deps, data))
  // Idempotent: each payment found is settled once.
  jobs.schedule(
    'pay-reconcile',
    '10 5 * * *',
    async ({ noTransaction }) => void (await reconcilePayments(jobDeps, noTransaction)),
  )
  // A day's files are available by nine the next morning. The job is idempotent: see compareStatementDay.
  jobs.schedule('pay-statements', '40 9 * * *', ({ noTransaction }) => compareStatements(jobDeps, noTransaction))
  // Idempotent: see reminders.ts. Also registered where nothing is sold: selling may have been enabled before, and the
  // schedule continues to trigger the job.
  jobs.schedule('service-reminders', '5 8-20 * * *', async ({ signal }) => {
    if (offer.billing) await remindAllCompanies(deps, signal)
  })
  return {
    handlers: bindHandlers(contract, {
      ...createOrderHandlers(shop),
      getProductInfo,
      getProductList: defineProductListHandler(shop),
      getResourceList: defineResourceListHandler(offer),
      getUseList,
      consumptionPublicBySalaryAdmin,
      createInvoice,
      getInvoiceList,
      getInvoiceFile,
      getChangePrice,
    }),
    async receiveNotification(provider, { headers, body }) {
      const pay = payments[provider]
      const message = pay?.parseNotification(headers, body, clock.now()) ?? null
      if (!pay || !message) {
        log.error({ provider }, 'a payment notice was not believed')
        return null
      }
      const became = await recordPayment(deps, { ...message, provider })
      if (became === 'unknown') log.error({ provider, order_no: message.order_no }, 'a payment of no order of ours')
      return became === 'unknown' ? null : pay.acknowledgement
    },
  }
}
