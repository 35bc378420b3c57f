/** A preformatted array literal equals what the driver would send. */
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { formatPostgresArray } from '../../../server/database/postgres-array.ts'

const driver = (values: unknown[]): unknown => Reflect.get(Reflect.get(pg, 'utils') ?? {}, 'prepareValue')(values)

describe('array as one parameter', () => {
  it.each([
    ['words', ['张三', '李四']],
    ['characters with a meaning in arrays', ['a,b', '{', '}', '"', '\\', '\\"', 'NULL', '', ' a ', "'", '\n\t']],
    ['a row without a value', ['a', null, '']],
    ['bytes', [Buffer.from([0, 255, 34, 92]), null]],
  ])('%s', (_, values) => {
    expect(formatPostgresArray(values)).toBe(driver(values))
  })

  it('formats dates and times with their time zone', () => {
    expect(formatPostgresArray([new Date(Date.UTC(2026, 10, 24, 2, 30)), null])).toBe('{"2026-11-24T02:30:00.000Z",NULL}')
  })

  it('returns null where no row has a value', () => {
    expect(formatPostgresArray([null, null])).toBe('{}')
    expect(formatPostgresArray([])).toBe('{}')
  })
})
