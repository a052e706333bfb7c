/** Handles every copy button, also buttons that are added later. */
export function startCopy() {
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button[data-copy]')
    if (!button) return
    void copy(button)
  })
}
async function copy(button) {
  await navigator.clipboard.writeText(button.dataset['copy'] ?? '')
  button.textContent = 'Copied'
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 1500)
}
