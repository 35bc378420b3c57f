/** The operator of the installation: accounts, companies, orders, invoices, prices and announcements. Writes operator tables and announcement. */
export { findCompany } from './billing.ts'
export { createCompanyForOperator } from './create-company.ts'
export { listPublishedNews } from './news.ts'
