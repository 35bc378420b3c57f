/** Orders: products, payment, invoices, and what is told of the prepaid pool. Writes pay_order, payment, order_door, invoice and invoice_order. */
export { type Offer, openOrders, type TakesNotices } from './open.ts'
