/**
 * The console for server operators, at `/ops`: a small entry of its own, without the company app and without company
 * sessions.
 */
import { QueryClientProvider } from '@tanstack/react-query'
import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from '../../../api.ts'
import { PageError } from '../../../app/page-error.tsx'
import { installPolyfills } from '../../../app/polyfills.ts'
import { registerLoadErrors } from '../../../components/state/load-error.ts'
import { OperatorConsole } from '../../../features/operator/area.tsx'
import { installOperatorTransport } from '../../../features/operator/session.ts'
import '../../../theme.css'

installPolyfills()
registerLoadErrors()
installOperatorTransport()

const route = createRootRoute({ component: OperatorConsole, notFoundComponent: OperatorConsole })
const router = createRouter({ routeTree: route, defaultErrorComponent: PageError, defaultPreload: false })

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
