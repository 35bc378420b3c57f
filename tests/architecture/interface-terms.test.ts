/** One term per concept in the sentences for users. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countVariants } from './interface-terms.ts'
import { readSources, root } from './source.ts'

describe('interface terms', () => {
  it.each([
    ["title: '请在办公软件里打开'", 1],
    ['<p>取入 3 人，取出 1 人</p>', 2],
    ["label: '有疑问'", 0],
    ["label: '员工疑问'", 1],
    ["/** 验算 */ const title = '核对'", 0],
    ["const title = '核对' // 没问题", 0],
    ["const title = '请在办公平台里打开'", 0],
  ])('finds in %s as many variants as there are: %i', (text, count) =>
    expect(countVariants({ 'src/a.tsx': text }).counts['src/a.tsx'] ?? 0).toBe(count),
  )

  it('does not read texts that recognise what customers write', () =>
    expect(countVariants({ 'server/spreadsheets/a.ts': "'手机号码'" }).counts).toEqual({}))

  it.each(['README.zh-CN.md', 'docs/guide.zh-CN.md', 'docs/sms.zh-CN.md'])('are the only ones in %s', (path) => {
    const page = { 'src/page.html': readFileSync(join(root, path), 'utf8') }
    expect(countVariants(page).uses.get('src/page.html') ?? []).toEqual([])
  })

  it('are the only ones in every file', () => {
    const { uses } = countVariants(readSources())
    const variants = [...uses].map(([path, list]) => `${path}: ${list.join(', ')}`)
    expect(variants, 'use the terms of docs/development/interface-terms.md').toEqual([])
  })
})
