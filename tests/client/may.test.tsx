/** What pages ask of the role info: whether the signed-in administrator may. The rule is the server's (`who.ts`); here only whose powers it is asked with. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { holders, type Power } from '../../server/contract/who.ts'
import { type Role, roleQuery, useMay } from '../../src/session.ts'

function Asked({ wanted }: { wanted: readonly Power[] }) {
  return <>{String(useMay()(holders(...wanted)))}</>
}
function mayOf(me: Pick<Role, 'power'> | null, corp_role: 10 | 20, ...wanted: Power[]): string {
  const client = new QueryClient()
  if (me) client.setQueryData(roleQuery.queryKey, { ...me, corp: { corp_role }, user: { is_employee: true } } as Role)
  return renderToStaticMarkup(
    (
      <QueryClientProvider client={client}>
        <Asked wanted={wanted} />
      </QueryClientProvider>
    ) as ReactNode,
  )
}

describe('whether I may', () => {
  it.each<[string, Power[] | null, 10 | 20, Power[], boolean]>([
    ['his own power', ['2'], 10, ['2'], true],
    ['one of two that are wanted', ['3'], 10, ['2', '3'], true],
    ['another power', ['1'], 10, ['2'], false],
    ['none', [], 10, ['2'], false],
    ['the system manager, whatever it is', ['4'], 10, ['2'], true],
    ['of an agency: not what normal companies do', ['4'], 20, ['2'], false],
    ['while the role info is on its way: nothing yet', null, 10, ['2'], false],
  ])('%s', (_, power, corp_role, wanted, expected) =>
    expect(mayOf(power && { power }, corp_role, ...wanted)).toBe(String(expected)),
  )
})
