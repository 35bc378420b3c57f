import { type CustomTypesConfig, types as defaults } from 'pg'

const { builtins, getTypeParser } = defaults

/** Parses bigint (fen and counts). Beyond 2^53 a number would silently become another amount, so it throws. */
function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('a bigint of the database is beyond 2^53')
  return value
}

const parsers = new Map<number, (text: string) => unknown>([
  [builtins.INT8, parseInt8],
  // A day has no time and no zone; a Date would be the day before in time zones west of here.
  [builtins.DATE, String],
  [builtins.TIMESTAMP, String],
])

/** Type parsers for columns: bigint → number, date → 'YYYY-MM-DD', timestamptz → Date, numeric → text, the rest as in pg. */
export const columnTypeParsers: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const parser = format === 'binary' ? undefined : parsers.get(oid)
    return parser ?? getTypeParser(oid, format)
  },
}
