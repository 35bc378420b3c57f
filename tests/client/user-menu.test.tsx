/** The user menu in the header (spec §2). */
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { queryClient } from '../../src/api.ts'
import { UserMenu } from '../../src/app/desktop/user-menu.tsx'
import type { CurrentUser } from '../../src/session.ts'

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
const render = (user_name: string): string => {
  const me = { user: { user_name, logo: null }, corp: { corp_role: 10 }, power: ['2'] } as unknown as CurrentUser
  return renderToStaticMarkup(
    <QueryClientProvider client={queryClient}>
      <RouterContextProvider router={router}>
        <UserMenu me={me} />
      </RouterContextProvider>
    </QueryClientProvider>,
  )
}

test('shows the name of the user, and 未登录 where there is none', () => {
  expect(render('林晚秋')).toContain('<span>林晚秋</span>')
  expect(render('林晚秋')).not.toContain('未登录')
  expect(render('')).toContain('<span>未登录</span>')
})
