/**
 * Billing: editions and prices, orders with their payments and refunds, the prepaid SMS balance, invoices.
 * What only the operator does with orders and invoices is exported by operations/. Writes prepaid_movement,
 * prepaid_entry, price, pay_order, order_lookup, payment, refund, payment_statement, invoice, invoice_order and
 * invoice_file.
 */
export { chargeSms, getDeliveryMeans, lockSmsBalance, recordPrepaidTransaction, refundSms } from './prepaid-sms.ts'
export { listChangedPrices, listProducts } from './prices.ts'
export { listRecentOrders } from './recent-orders.ts'
export { getDaysRemaining, getTrialStatus, trialDays, trialMessageCount } from './rules/edition.ts'
export { getProduct, products } from './rules/products.ts'
