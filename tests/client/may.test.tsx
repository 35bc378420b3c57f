/**
 * How pages check the powers of the signed-in administrator. The rule is in the contract (`server/contract/access.ts`);
 * here only the powers passed to it are tested.
 */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { type Power, requirePower } from '../../server/contract/access.ts'
import { can } from '../../server/contract/shared/statuses.ts'
import { SendChannels } from '../../src/features/sheets/send/send-channels.tsx'
import { type CurrentUser, currentUserQuery, useCanAccess } from '../../src/session.ts'

function Requested({ requested }: { requested: readonly Power[] }) {
  return <>{String(useCanAccess()(requirePower(...requested)))}</>
}
function getMay(me: Pick<CurrentUser, 'power'> | null, corp_role: 10 | 20, ...requested: Power[]): string {
  const client = new QueryClient()
  if (me)
    client.setQueryData(currentUserQuery.queryKey, { ...me, corp: { corp_role }, user: { is_employee: true } } as CurrentUser)
  return renderToStaticMarkup(
    (
      <QueryClientProvider client={client}>
        <Requested requested={requested} />
      </QueryClientProvider>
    ) as ReactNode,
  )
}

describe('power checks of the current user', () => {
  it.each<[string, Power[] | null, 10 | 20, Power[], boolean]>([
    ["the user's own power", ['2'], 10, ['2'], true],
    ['one of two requested powers', ['3'], 10, ['2', '3'], true],
    ['another power', ['1'], 10, ['2'], false],
    ['none', [], 10, ['2'], false],
    ['the system manager, whatever the power', ['4'], 10, ['2'], true],
    ['an agency, for actions of normal companies only', ['4'], 20, ['2'], false],
    ['a user whose role information is still loading', null, 10, ['2'], false],
  ])('%s', (_, power, corp_role, requested, expected) =>
    expect(getMay(power && { power }, corp_role, ...requested)).toBe(String(expected)),
  )
})

describe('messages in the workplace chat', () => {
  const market = '贵公司是从办公平台的应用市场开通的，不能发送办公平台消息'
  const unbound = '未绑定办公平台，不会使用'
  it.each<[string, Partial<CurrentUser['corp']>, string | null]>([
    ['a company bound to its platform', { corp_origin: 0, platform_status: 10 }, null],
    ['a company not bound to a platform', { corp_origin: 0, platform_status: 0 }, unbound],
    ["a company installed from a platform's store", { corp_origin: 10, platform_status: 10 }, market],
    ["a company installed from a platform's store but not bound", { corp_origin: 10, platform_status: 0 }, market],
    ['a company of another origin', { corp_origin: 20, platform_status: 10 }, null],
  ])('%s', (_, corp, message) => {
    const client = new QueryClient()
    client.setQueryData(currentUserQuery.queryKey, { corp } as CurrentUser)
    const html = renderToStaticMarkup(
      (
        <QueryClientProvider client={client}>
          <SendChannels selected={['platform']} smsLeft={100} people={3} onChange={() => undefined} />
        </QueryClientProvider>
      ) as ReactNode,
    )
    expect([market, unbound].find((labels) => html.includes(labels)) ?? null).toBe(message)
    expect(can.chat({ corp_origin: 0, ...corp })).toBe(message === market ? market : true)
  })
})
