import { Outlet } from '@tanstack/react-router'
import { DeskLook } from './desk-look.tsx'

export function Desk() {
  return (
    <DeskLook>
      <Outlet />
    </DeskLook>
  )
}
