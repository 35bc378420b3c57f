/** The story page alone in a browser: no router, no server, no calls. */
import { lazy, Suspense, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Widgets } from '../../src/pages/dev/-widgets.tsx'
import { DeskLook } from '../../src/shell/look/desk-look.tsx'
import { Dialog } from '../../src/ui/dialogs.tsx'
import { Drawer } from '../../src/ui/over/layers.tsx'
import '../../src/theme.css'

const busy = { drawn: 0 }
/** Takes a while to draw, so that a key is pressed before it stands. */
function draw(): void {
  const until = performance.now() + 8
  while (performance.now() < until);
  busy.drawn += 1
}
function Line() {
  draw()
  return <p />
}
const Late = lazy(async () => ({
  default: ({ onClose }: { onClose: () => void }) => (
    <Dialog open title="来得晚的对话框" onClose={onClose}>
      {Array.from({ length: 80 }, (_, at) => (
        <Line key={at} />
      ))}
    </Dialog>
  ),
}))

/** A dialog that comes over a drawer. */
function Over() {
  const [open, setOpen] = useState(false)
  const [asked, setAsked] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        抽屉
      </button>
      <Drawer open={open} title="下面的抽屉" onClose={() => setOpen(false)} destroyOnHidden>
        <button type="button" onClick={() => setAsked(true)}>
          选了对话框
        </button>
        <p>{asked ? '对话框要来' : '没有对话框'}</p>
        <Suspense fallback={null}>{asked && <Late onClose={() => setAsked(false)} />}</Suspense>
      </Drawer>
    </>
  )
}
Object.assign(globalThis, { busy })

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <DeskLook>
      <Widgets />
      <Over />
    </DeskLook>,
  )
