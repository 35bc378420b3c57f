/** What a mainland mobile number looks like. Apart from the shapes, so that the sign-in page can ask before the schema library has come. */

/** 1 and ten digits. */
export const mobilePattern = '^1\\d{10}$'

/** `13812345678` → `138****5678`. */
export const maskMobile = (value: string): string => (value === '' ? '' : `${value.slice(0, 3)}****${value.slice(-4)}`)
