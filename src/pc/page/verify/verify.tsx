/** Checking a receipt: for anybody, signed in or not. A small entry of its own at `/m/verify`; what is behind the # never reaches a log. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { VerifyReceipt } from './verify-receipt.tsx'
import '../../../theme.css'
import '../../../shell/mobile/mobile.css'

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <div className="pocket">
        <VerifyReceipt />
      </div>
    </StrictMode>,
  )
