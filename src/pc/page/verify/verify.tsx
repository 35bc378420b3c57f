/** Verifies a receipt, for anyone. A small entry of its own at `/m/verify`; the part after the # never reaches a log. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { VerifyReceipt } from './verify-receipt.tsx'
import '../../../theme.css'
import '../../../app/mobile/mobile.css'

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <div className="pocket">
        <VerifyReceipt />
      </div>
    </StrictMode>,
  )
