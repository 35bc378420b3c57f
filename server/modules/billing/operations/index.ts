/** What the operator does with the orders and invoices of a company. Apart from ../index.ts, so that a payslip does not load it. */
export { grantCompanyEdition, grantCompanySms } from '../grants.ts'
export { issueCompanyInvoice, returnCompanyInvoice, reverseCompanyInvoice } from '../invoices.ts'
export { recordCompanyPayment } from '../payments.ts'
export { refundCompanyOrder } from '../refund.ts'
export { findOrderCompany, listInvoices, listOrders, listStatements, sumPaidByCompany } from './queries.ts'
