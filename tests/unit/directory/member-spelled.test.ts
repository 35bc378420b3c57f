/** Search for names by Latin letters: starting at any character, in full, by initials, or the first syllable in full. */
import { describe, expect, it } from 'vitest'
import { getNameSpellings, toSpellingPattern } from '../../../server/modules/directory/file/name-spelling.ts'

/** Matches as the database's `like` does. */
const finds = (typed: string, name: string): boolean => {
  const like = toSpellingPattern(typed)
  return like !== null && getNameSpellings(name).includes(like.slice(1, -1))
}

describe('name search', () => {
  it.each([
    ['wangxiaoyun', '王晓云'],
    ['WangXY', '王晓云'],
    ['wxy', '王晓云'],
    ['xy', '王晓云'],
    ['xiaoy', '王晓云'],
    ['wang xiao', '王晓云'],
    ["xi'an", '西安'],
    // A surname has its reading as a surname.
    ['shan', '单雄信'],
    ['zeng', '曾国藩'],
    ['ouyang', '欧阳娜娜'],
    ['oynn', '欧阳娜娜'],
    ['lv', '吕布'],
    ['lü', '吕布'],
    // All readings of a character are searched.
    ['wangchang', '王长青'],
    ['wangzhang', '王长青'],
    ['abdm', '阿卜杜·买买提'],
  ])('finds for %s the name %s', (typed, name) => {
    expect(finds(typed, name)).toBe(true)
  })

  it.each([
    // A match does not start inside a syllable.
    ['an', '王晓云'],
    ['iaoyun', '王晓云'],
    ['yx', '王晓云'],
    ['wangyun', '王晓云'],
  ])('does not find for %s the name %s', (typed, name) => {
    expect(finds(typed, name)).toBe(false)
  })

  it('ignores input that is no spelling, and names without Chinese characters', () => {
    for (const typed of ['王', '138', 'E-77', '%', '', ' ', 'a%b']) expect(toSpellingPattern(typed)).toBeNull()
    expect(getNameSpellings('John Smith')).toBe('')
    expect(getNameSpellings('')).toBe('')
  })

  it('keeps the spelling of a long name short', () => {
    expect(getNameSpellings('长乐单曾解重行朝'.repeat(6)).length).toBeLessThan(4_000)
  })
})
