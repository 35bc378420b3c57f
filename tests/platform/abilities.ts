/** Builds the table of platform features from the adapters: `npm run abilities` writes it into docs/. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { chatProviders, providers } from '../../platform/chat/providers.ts'
import { createPlatforms } from '../../platform/index.ts'
import type { ChatApp, Provider } from '../../platform/types.ts'

const getApp = (provider: Provider, store: boolean): ChatApp => ({
  provider,
  corp_id: '',
  app_id: '',
  agent_id: '',
  secret: '',
  ...(store ? { suite: { id: '', secret: '', ticket: null } } : {}),
})
const yes = (value: boolean): string => (value ? '✓' : '—')
const every = ({ count, perMs }: { count: number; perMs: number }): string => `${count} 次 / ${perMs / 1000} 秒`
const updates = { card: '换成另一张卡片', once: '按钮改字，只能一次', status: '状态栏改字', none: '—' }

export function abilities(): string {
  const platforms = createPlatforms()
  const columns = providers.flatMap((provider) =>
    [false, true].map((store) => {
      const app = getApp(provider, store)
      const { directory, messages, carrier } = platforms[provider]
      return {
        title: `${chatProviders[provider].label} ${store ? '应用商店' : '自建'}`,
        d: directory.describe(app),
        m: messages.describe(app),
        c: carrier.describe(app),
      }
    }),
  )
  type Column = (typeof columns)[number]
  const rows: [string, (one: Column) => string][] = [
    ['读到姓名', ({ d }) => yes(d.names)],
    ['读到手机号（另需权限）', ({ d }) => yes(d.phones)],
    ['读到工号', ({ d }) => yes(d.employee_nos)],
    ['部门的排序', ({ d }) => (d.listsOrder ? '随列表' : '逐个查')],
    ['按手机号查人，一次几个', ({ d }) => (d.maxMobilesPerLookup === 0 ? '—' : String(d.maxMobilesPerLookup))],
    ['读通讯录的速度', ({ d }) => every(d.rateLimit)],
    ['发消息的速度', ({ c }) => (c.rateLimit ? every(c.rateLimit) : '平台没有写明')],
    ['群发，一次几人', ({ m }) => String(m.maxRecipients)],
    ['撤回', ({ c, m }) => (c.canRecall ? `${m.recallHours} 小时内` : '—')],
    ['发出后改卡片', ({ m }) => (m.updateSupport === 'none' ? '—' : `${updates[m.updateSupport]}，${m.updateHours} 小时内`)],
    ['知道谁读了', ({ m }) => yes(m.reportsReads)],
    ['结果不明时可安全重发', ({ m }) => `${m.deduplicationMs / 3_600_000} 小时内`],
    ['每人每天上限', ({ m }) => (m.quota.perPersonPerDay === null ? '没有写明' : String(m.quota.perPersonPerDay))],
    ['每人每分钟上限', ({ m }) => (m.quota.perPersonPerMinute === null ? '没有写明' : String(m.quota.perPersonPerMinute))],
    [
      '应用每天上限',
      ({ m: { quota } }) =>
        quota.perMemberPerDay === null
          ? quota.perDay === null
            ? '没有写明'
            : `${quota.perDay}（群发）`
          : `企业人数上限 × ${quota.perMemberPerDay} 人次`,
    ],
  ]
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`
  return [
    '# 三个平台各能做什么',
    '',
    '由适配器自己的说明生成（`npm run abilities`），与代码不一致时测试会失败。怎样建应用、开哪些权限：[接入说明](README.zh-CN.md)。',
    '',
    line(['', ...columns.map(({ title }) => title)]),
    line(['---', ...columns.map(() => '---')]),
    ...rows.map(([name, cell]) => line([name, ...columns.map(cell)])),
    '',
  ].join('\n')
}

if (process.argv[1]?.endsWith('abilities.ts')) {
  mkdirSync('docs/chat-platforms', { recursive: true })
  writeFileSync('docs/chat-platforms/abilities.zh-CN.md', abilities())
}
