/** The area of whoever runs the server, at `/ops`: a small entry of its own, with nothing of the companies' app and no session of theirs. */
import { QueryClientProvider } from '@tanstack/react-query'
import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { cache } from '../../../api.ts'
import { Ops } from '../../../parts/company/ops/area.tsx'
import { beOperator } from '../../../parts/company/ops/session.ts'
import { lendOlder } from '../../../shell/older.ts'
import '../../../theme.css'

lendOlder()
beOperator()

const route = createRootRoute({ component: Ops, notFoundComponent: Ops })
const router = createRouter({ routeTree: route, defaultPreload: false })

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={cache}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
