const amountPattern = /\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|(?:[¥￥]\s?)?\d[\d,，]*(?:\.\d+)?\s*(年|月|日|号|天|小时)?/g

/** Masks the amounts in a text next to hidden amounts; dates and numbers of days stay. */
export const maskAmounts = (text: string): string =>
  text.replace(amountPattern, (match, unit: string | undefined) => (unit || /^\d{4}[-/.]/.test(match) ? match : '****'))
