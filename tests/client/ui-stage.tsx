/** The story page alone in a browser: no router, no server, no calls. */
import { createRoot } from 'react-dom/client'
import { Widgets } from '../../src/pages/dev/-widgets.tsx'
import { DeskLook } from '../../src/shell/look/desk-look.tsx'
import '../../src/theme.css'

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <DeskLook>
      <Widgets />
    </DeskLook>,
  )
