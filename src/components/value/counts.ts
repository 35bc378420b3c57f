/** Formats a number of people, rows or messages with thousands separators. */
export const formatCount = (value: number): string => value.toLocaleString('zh-CN')
