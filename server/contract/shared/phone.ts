/** The format of a mainland mobile number, apart from the schemas: the sign-in page validates before their library loads. */

/** 1 and ten digits. */
export const mobilePattern = '^1\\d{10}$'

/** `13812345678` → `138****5678`. */
export const maskMobile = (value: string): string => (value === '' ? '' : `${value.slice(0, 3)}****${value.slice(-4)}`)
