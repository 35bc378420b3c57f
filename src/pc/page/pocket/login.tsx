/** The mobile sign-in page: an entry of its own, without router and query cache. `/m/login` in the app renders the same. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { MobileLogin } from '../../../features/auth/sign-in/mobile-login.tsx'
import '../../../theme.css'
import '../../../app/preload/placeholders.css'
import '../../../app/mobile/mobile.css'

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <div className="pocket">
        <MobileLogin />
      </div>
    </StrictMode>,
  )
