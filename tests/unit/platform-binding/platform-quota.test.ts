/** What a chat platform still accepts today, as the send plan shows it. */
import { describe, expect, it } from 'vitest'
import { chatProviderRules } from '../../../platform/chat/providers.ts'
import { getRemainingQuota } from '../../../server/modules/payslips/rules/quota.ts'
import { formatOverQuota, formatQuota } from '../../../src/features/sheets/send/platform-quota.tsx'

const fresh = { usedCount: 0, most_of_one: 0, platformUserCount: 300 }
describe('quota by the documents of each platform', () => {
  it.each([
    ['lark', 2500, fresh, '飞书没有每天的条数上限，按平台的速度约需 3 分钟。', null],
    ['lark', 1, fresh, '飞书没有每天的条数上限。', null],
    ['wecom', 300, { ...fresh, usedCount: 100 }, '企业微信今天至少还能发 59,900 人次（每天上限 60,000）。', null],
    [
      'wecom',
      300,
      { ...fresh, usedCount: 59_900 },
      '企业微信今天至少还能发 100 人次（每天上限 60,000）。',
      '超出企业微信今天的上限约 200 人，他们可能收不到；可以明天再发，或加选其他方式',
    ],
    [
      'wecom',
      1,
      { usedCount: 500, most_of_one: 0, platformUserCount: 0 },
      '企业微信今天至少还能发 0 人次（每天上限 200）。',
      expect.stringContaining('约 1 人'),
    ],
    ['dingtalk', 300, { ...fresh, most_of_one: 2 }, '钉钉每人今天还能收 498 条（每天上限 500）。', null],
    [
      'dingtalk',
      12_000,
      { ...fresh, most_of_one: 501 },
      '钉钉每人今天还能收 0 条（每天上限 500），按平台的速度约需 3 分钟。',
      expect.stringContaining('已到上限'),
    ],
  ] as const)('returns the quota of %s, %i members, %o', (provider, requested, today, text, over) => {
    const notified = { provider, ...getRemainingQuota(chatProviderRules[provider].quota, requested, today) }
    expect(formatQuota(notified)).toBe(text)
    expect(formatOverQuota(notified)).toEqual(over)
  })
})
