import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Icon } from '../../ui/icon.tsx'
import './employee.css'

/** The bar over a page of /m that was opened from another one. */
export const Top = ({ title, to, action }: { title: string; to: string; action?: ReactNode }) => (
  <header className="m-top no-print">
    <Link to={to} className="m-icon" aria-label="返回">
      <Icon name="back" size={22} />
    </Link>
    <h1>{title}</h1>
    <div>{action}</div>
  </header>
)
