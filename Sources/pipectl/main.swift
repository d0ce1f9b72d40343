print("pipectl")
