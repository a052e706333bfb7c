/** Handles every copy button, also buttons that are added later. */
export function startCopy(): void {
  document.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('button[data-copy]')
    if (button) void copyText(button, textOf(button))
  })
}

/** Copies a text and shows at the button that it did. */
export async function copyText(button: HTMLButtonElement, text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
  button.classList.add('done')
  setTimeout(() => button.classList.remove('done'), 1_500)
}

function textOf({ dataset }: HTMLButtonElement): string {
  const showsNative = document.documentElement.classList.contains('native')
  return (showsNative ? dataset['copyNative'] : undefined) ?? dataset['copy'] ?? ''
}
