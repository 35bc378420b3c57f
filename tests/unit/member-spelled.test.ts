/** Names as they are typed with Latin letters: from any of their characters on, whole, by initials, or the first one whole. */
import { describe, expect, it } from 'vitest'
import { getNameSpellings, toSpellingPattern } from '../../server/modules/member/file/name-spelling.ts'

/** As the database's `like` would say. */
const finds = (typed: string, name: string): boolean => {
  const like = toSpellingPattern(typed)
  return like !== null && getNameSpellings(name).includes(like.slice(1, -1))
}

describe('a name is found', () => {
  it.each([
    ['wangxiaoyun', '王晓云'],
    ['WangXY', '王晓云'],
    ['wxy', '王晓云'],
    ['xy', '王晓云'],
    ['xiaoy', '王晓云'],
    ['wang xiao', '王晓云'],
    ["xi'an", '西安'],
    // A surname is read as one.
    ['shan', '单雄信'],
    ['zeng', '曾国藩'],
    ['ouyang', '欧阳娜娜'],
    ['oynn', '欧阳娜娜'],
    ['lv', '吕布'],
    ['lü', '吕布'],
    // Of a character with several readings each is tried.
    ['wangchang', '王长青'],
    ['wangzhang', '王长青'],
    ['abdm', '阿卜杜·买买提'],
  ])('%s finds %s', (typed, name) => {
    expect(finds(typed, name)).toBe(true)
  })

  it.each([
    // In the middle of a syllable nothing begins.
    ['an', '王晓云'],
    ['iaoyun', '王晓云'],
    ['yx', '王晓云'],
    ['wangyun', '王晓云'],
  ])('%s does not find %s', (typed, name) => {
    expect(finds(typed, name)).toBe(false)
  })

  it('what is no spelling asks nothing, and a name without Chinese has none', () => {
    for (const typed of ['王', '138', 'E-77', '%', '', ' ', 'a%b']) expect(toSpellingPattern(typed)).toBeNull()
    expect(getNameSpellings('John Smith')).toBe('')
    expect(getNameSpellings('')).toBe('')
  })

  it('a long name stays short', () => {
    expect(getNameSpellings('长乐单曾解重行朝'.repeat(6)).length).toBeLessThan(4_000)
  })
})
