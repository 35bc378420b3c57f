/** Signing in on a phone: a small entry of its own, without router and query cache. `/m/login` within the app draws the same. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { PocketLogin } from '../../../parts/sign-in/pocket-login.tsx'
import '../../../theme.css'
import '../../../parts/ahead/waiting.css'
import '../../../shell/pocket/pocket.css'

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <div className="pocket">
        <PocketLogin />
      </div>
    </StrictMode>,
  )
