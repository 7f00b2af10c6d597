"""Messages between the browser and the kernel, and the TypeScript that is made of them."""
