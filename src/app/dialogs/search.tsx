import { Modal } from '../../components/overlay/layers.tsx'
import { SearchPanel } from '../../features/reports/search/search-panel.tsx'

/** The search over the page: what is below it stays as it is. */
export function SearchDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Modal
      open={open}
      title="搜索"
      width={720}
      footer={null}
      destroyOnHidden
      className="search-dialog"
      style={{ top: 56 }}
      onCancel={onClose}
    >
      <SearchPanel onLeave={onClose} />
    </Modal>
  )
}
