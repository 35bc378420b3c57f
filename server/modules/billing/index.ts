/**
 * Billing: editions and prices, orders with their payments and refunds, the prepaid SMS balance, invoices.
 * Writes prepaid_movement, prepaid_entry, price, pay_order, order_lookup, payment, refund, payment_statement, invoice, invoice_order and invoice_file.
 */
export { issueCompanyInvoice, returnCompanyInvoice, reverseCompanyInvoice } from './invoices.ts'
export { recordCompanyPayment } from './payments.ts'
export { chargeSms, getDeliveryMeans, lockSmsBalance, recordPrepaidTransaction, refundSms } from './prepaid-sms.ts'
export { listChangedPrices, listProducts } from './prices.ts'
export { listRecentOrders } from './recent-orders.ts'
export { refundCompanyOrder } from './refund.ts'
export { getDaysRemaining, getTrialStatus, trialDays, trialMessageCount } from './rules/edition.ts'
export { getProduct, products } from './rules/products.ts'
